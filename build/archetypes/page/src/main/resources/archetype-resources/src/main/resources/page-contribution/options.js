// Options of this contribution.

/** Setting of the number of volumes on the card. */
export const SETTING = '${package}.shown';

/** Number of volumes on the card while the setting is not set. */
export const SHOWN = ${shown};
