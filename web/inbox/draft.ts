/** Reasons that are being written, kept until they are sent or the tab is closed, by approval. */
const PREFIX = 'holdpoint.draft.';

export function readDraft(approvalId: string): string {
  return sessionStorage.getItem(PREFIX + approvalId) ?? '';
}

/** An empty text removes it. */
export function writeDraft(approvalId: string, text: string): void {
  if (text === '') {
    sessionStorage.removeItem(PREFIX + approvalId);
  } else {
    sessionStorage.setItem(PREFIX + approvalId, text);
  }
}
