import Database from 'libsql';

export interface Order {
  readonly orderId: string;
  readonly customer: string;
  readonly email: string;
  readonly item: string;
  readonly paidCents: number;
  readonly refundedCents: number;
}

export interface Refund {
  readonly orderId: string;
  readonly amountCents: number;
}

const TABLES = `
  create table if not exists orders (
    order_id text primary key, customer text not null, email text not null, item text not null, paid_cents integer not null
  );
  create table if not exists refunds (key text primary key, order_id text not null, amount_cents integer not null);
  create table if not exists mails (key text primary key);
  insert or ignore into orders values
    ('A-17', 'Ada', 'ada@example.com', 'blue kettle', 4990),
    ('A-18', 'Grace', 'grace@example.com', 'desk lamp', 7500);
`;

/** The shop's orders in a SQLite file, which is made, with two orders, when it is not there. */
export class OrderBook {
  private readonly database: Database.Database;

  constructor(path: string) {
    this.database = new Database(path);
    this.database.exec(TABLES);
  }

  find(orderId: string): Order | undefined {
    const row = this.database
      .prepare(
        `select customer, email, item, paid_cents as "paidCents",
           (select coalesce(sum(amount_cents), 0) from refunds where refunds.order_id = orders.order_id) as "refundedCents"
         from orders where order_id = ?`,
      )
      .get(orderId) as Omit<Order, 'orderId'> | undefined;
    return row === undefined ? undefined : { ...row, orderId };
  }

  /** Notes a refund under its key; the same key again changes nothing. False when it is more than what is left. */
  refund(key: string, { orderId, amountCents }: Refund): boolean {
    return this.database.transaction(() => {
      if (this.hasRefund(key)) {
        return true;
      }
      const order = this.find(orderId);
      if (order === undefined || order.refundedCents + amountCents > order.paidCents) {
        return false;
      }
      this.database.prepare('insert into refunds values (?, ?, ?)').run(key, orderId, amountCents);
      return true;
    })();
  }

  hasRefund(key: string): boolean {
    return this.database.prepare('select 1 from refunds where key = ?').get(key) !== undefined;
  }

  hasMail(key: string): boolean {
    return this.database.prepare('select 1 from mails where key = ?').get(key) !== undefined;
  }

  noteMail(key: string): void {
    this.database.prepare('insert or ignore into mails values (?)').run(key);
  }

  close(): void {
    this.database.close();
  }
}
