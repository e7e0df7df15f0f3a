/**
 * Stands in for the worker child: what it does stands in the file named by its argument, as JSON with `load`
 * (`ok`, `fault`, `block` or `exit`) and `name`, which is that of its one agent. It prints a line for what it is told, and
 * with `isSlow` it stops only once a file `<argument>.go` is there.
 */
const { existsSync, readFileSync } = require('node:fs');

const path = process.argv[2];
const { load, name, isSlow } = JSON.parse(readFileSync(path, 'utf8'));
const say = (what) => process.stdout.write(`${name} ${what}\n`);

process.on('message', ({ type }) => {
  say(type);
  if (type === 'start') {
    process.send({ type: 'ready' });
  } else {
    const timer = setInterval(() => {
      if (!isSlow || existsSync(`${path}.go`)) {
        clearInterval(timer);
        say('ends');
        process.exit(0);
      }
    }, 10);
  }
});

switch (load) {
  case 'ok':
    process.send({ type: 'loaded', project: { agents: [name], tools: 1, longestToolMs: 60_000 }, files: [path] });
    break;
  case 'fault':
    process.send({ type: 'failed', code: 'invalid_config', message: `${name} is broken`, files: [path] }, () =>
      process.exit(1),
    );
    break;
  case 'exit':
    process.exit(3);
    break;
  default:
    say(`blocks ${process.pid}`);
    for (;;);
}
