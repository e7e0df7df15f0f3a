import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { firstChangedLine, kindOfLine } from '../../src/core/display/difference-lines';
import type { TextPart } from '../../src/core/display/visible-text';
import { Parts } from '../text/foreign';
import { PagedText, plainLine } from '../text/paged-text';
import type { TextLine } from '../text/text-page';

/** Most changes fit; the rest opens on demand. */
const FOLDED_PREVIEW = { characters: 20_000, lines: 60 };

/** The preview of a call: a difference coloured by line, whose signs say the same without colour, or text as it is. */
export function PreviewView({ preview }: { readonly preview: string }): VNode {
  const renderLine = useMemo(() => lineRenderer(firstChangedLine(preview)), [preview]);
  const text = preview.endsWith('\n') ? preview.slice(0, -1) : preview;
  return (
    <div class="preview">
      <PagedText text={text} folded={FOLDED_PREVIEW} renderLine={renderLine} />
    </div>
  );
}

function lineRenderer(firstChanged: number | undefined): (line: TextLine, index: number) => VNode {
  if (firstChanged === undefined) {
    return plainLine;
  }
  return (line, index) =>
    index < firstChanged ? (
      <div key={index} class="line header">
        <bdi dir="auto">
          <Parts parts={line.parts} />
        </bdi>
      </div>
    ) : (
      <ChangedLine key={index} parts={line.parts} />
    );
}

/** The sign stands apart, so that text written from right to left can't carry it to the other side. */
function ChangedLine({ parts }: { readonly parts: readonly TextPart[] }): VNode {
  const [first, ...rest] = parts;
  const text = first?.kind === 'text' ? first.text : '';
  const kind = kindOfLine(text);
  const hasSign = kind === 'added' || kind === 'removed' || kind === 'same';
  const content: readonly TextPart[] = hasSign ? [{ kind: 'text', text: text.slice(1) }, ...rest] : parts;
  const Line = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'div';
  return (
    <Line class={`line ${kind}`}>
      <span class="sign">{hasSign ? text.charAt(0) : ''}</span>
      <bdi dir="auto">
        <Parts parts={content} />
      </bdi>
    </Line>
  );
}
