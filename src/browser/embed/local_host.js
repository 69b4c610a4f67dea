/**
 * The hosts of pages that are files, or on this machine or a private network. The pages of apps are
 * on localhost.
 */
export const LOCAL_HOST =
  /^$|^\[(::|f[c-e])|^(10|127|192\.168|172\.(1[6-9]|2\d|3[01]))\..*\d$|\blocal(host)?$/;
