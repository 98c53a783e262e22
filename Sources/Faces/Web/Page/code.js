// The code of a link, behind #. It leaves the address before anything else is loaded, whatever comes of it: a browser keeps addresses.

export function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get("c");
  if (location.href !== location.origin + location.pathname) history.replaceState(history.state, "", location.pathname);
  return code;
}

export const given = takeCode();
