// Goes to a row of the log, and marks it until the focus leaves it.
export function goTo(row) {
  if (!row) return;
  row.scrollIntoView({ block: "center" });
  row.classList.add("found");
  row.tabIndex = 0;
  row.focus({ preventScroll: true });
  row.addEventListener("blur", () => row.classList.remove("found"), { once: true });
}
