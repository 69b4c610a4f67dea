// The visits of an owner, which are not counted. `#tally-skip` in the address of a page switches
// counting off in a browser, and on again.
const NAME = "tally-skip";
let own;

/** Returns the address of the page, without host and fragment. */
export const here = () => location.pathname + location.search;

/** Reports whether this browser is not counted on this site. */
export const isOwnVisit = () => {
  try {
    return localStorage[NAME];
  } catch {
    return own;
  }
};

/** Takes the fragment out of the address, so that neither a reload nor a second script reads it. */
export const takeFragment = () => {
  if (location.hash !== `#${NAME}` || document.prerendering) return;
  history.replaceState(history.state, "", here());
  own = !isOwnVisit();
  try {
    if (own) localStorage[NAME] = 1;
    else delete localStorage[NAME];
  } catch {
    // The switch holds until the page is left.
  }
  console.info(`tally.js: own visits ${own ? "not" : "now"} counted`);
};
