import { ApiFault } from './gateway-api';

/** Why the list could not be loaded. */
export function listFaultText(fault: unknown): string {
  return `The list could not be loaded (${codeOf(fault)}).`;
}

/** Why it is not known that a decision arrived. It is never sent again by itself. */
export function decisionFaultText(fault: unknown): string {
  const code = codeOf(fault);
  return code === 'connection_lost'
    ? 'There was no answer, so your decision may or may not have arrived. Press again to send the same one.'
    : `The decision was not taken (${code}). You can try again.`;
}

function codeOf(fault: unknown): string {
  return fault instanceof ApiFault ? fault.code : 'internal';
}
