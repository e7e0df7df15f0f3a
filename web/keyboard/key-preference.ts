const NAME = 'holdpoint.single-keys';

/** Whether single keys do something; a preference of this browser, on until it is switched off. */
export function readKeyPreference(): boolean {
  return localStorage.getItem(NAME) !== 'off';
}

export function writeKeyPreference(isOn: boolean): void {
  localStorage.setItem(NAME, isOn ? 'on' : 'off');
}
