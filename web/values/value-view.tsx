import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../src/core/json';
import { useFold } from '../text/fold-count';
import { Foreign } from '../text/foreign';
import { PagedText } from '../text/paged-text';
import { countText, sizeText } from '../text/size-text';
import { FOLDED } from '../text/text-page';
import { isSmall, MAX_SIBLINGS, membersOf } from './json-size';

/** A JSON value exactly as it is: strings in quotes, numbers as JSON writes them, nesting as nested tables. */
function ValueView({ value }: { readonly value: JsonValue }): VNode {
  if (typeof value === 'string') {
    return <StringView text={value} />;
  }
  if (value === null || typeof value !== 'object') {
    return <code class="literal">{JSON.stringify(value)}</code>;
  }
  if (membersOf(value).length === 0) {
    return <code class="literal">{Array.isArray(value) ? '[]' : '{}'}</code>;
  }
  return <ContainerView value={value} isOpenAtFirst={isSmall(value)} />;
}

/** The arguments of a call: one row each, at once. */
export function ArgumentsView({ value }: { readonly value: JsonValue }): VNode {
  const isTable = value !== null && typeof value === 'object' && membersOf(value).length > 0;
  return isTable ? <Members value={value} isAllOpen={isSmall(value)} /> : <ValueView value={value} />;
}

function StringView({ text }: { readonly text: string }): VNode {
  const isShort = text.length <= FOLDED.characters && !text.includes('\n');
  if (isShort) {
    return (
      <span class="string">
        <span class="quote">"</span>
        <Foreign text={text} />
        <span class="quote">"</span>
      </span>
    );
  }
  return (
    <div class="text-block">
      <p class="caption">text, {sizeText(text)}</p>
      <PagedText text={text} />
    </div>
  );
}

interface ContainerProps {
  readonly value: JsonValue;
  readonly isOpenAtFirst: boolean;
}

function ContainerView({ value, isOpenAtFirst }: ContainerProps): VNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  useFold(!isOpen);
  const kind = Array.isArray(value) ? 'list' : 'object';
  const size = countText(membersOf(value).length, 'value');
  return (
    <div class="container">
      <p class="caption">
        {kind}, {size}
      </p>
      {isOpen ? (
        <Members value={value} isAllOpen={isSmall(value)} />
      ) : (
        <button type="button" class="more" onClick={() => setOpen(true)}>
          Show all ({size})
        </button>
      )}
    </div>
  );
}

/** @param isAllOpen False when there is so much in it that nested lists and objects wait to be opened. */
function Members({ value, isAllOpen }: { readonly value: JsonValue; readonly isAllOpen: boolean }): VNode {
  const [limit, setLimit] = useState(MAX_SIBLINGS);
  const members = membersOf(value);
  const left = members.length - limit;
  useFold(left > 0 && limit === MAX_SIBLINGS);
  const isList = Array.isArray(value);
  return (
    <>
      <dl class="members">
        {members.slice(0, limit).map(([name, member]) => (
          <div key={name} class="member">
            <dt class={isList ? 'index' : ''}>{isList ? name : <NameView name={name} />}</dt>
            <dd>
              {isAllOpen || membersOf(member).length === 0 ? (
                <ValueView value={member} />
              ) : (
                <ContainerView value={member} isOpenAtFirst={false} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {left > 0 && (
        <button type="button" class="more" onClick={() => setLimit(limit + MAX_SIBLINGS)}>
          Show {Math.min(left, MAX_SIBLINGS)} more of {countText(members.length, 'value')}
        </button>
      )}
    </>
  );
}

function NameView({ name }: { readonly name: string }): VNode {
  if (name === '') {
    return <span class="caption">(empty name)</span>;
  }
  return name.length <= FOLDED.characters ? <Foreign text={name} /> : <PagedText text={name} />;
}
