import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { type TextPart, visibleText } from '../../src/core/display/visible-text';

/**
 * One line of text that somebody else wrote: a model, a tool, a person, a file name. Text nodes only, kept apart from
 * the text around it, with marks for what can't be seen.
 */
export function Foreign({ text }: { readonly text: string }): VNode {
  return useMemo(
    () => (
      <bdi dir="auto" class="foreign">
        <Parts parts={visibleText(text).parts} />
      </bdi>
    ),
    [text],
  );
}

/** Pieces of foreign text, one after another. */
export function Parts({ parts }: { readonly parts: readonly TextPart[] }): VNode {
  return (
    <>
      {parts.map((part) =>
        part.kind === 'text' ? part.text : <span class={part.isHidden ? 'mark' : 'mark mark-quiet'}>{part.label}</span>,
      )}
    </>
  );
}
