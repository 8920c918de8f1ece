"use strict";
{
  const choices = [...document.querySelectorAll(".filters select")];
  const rows = [...document.querySelectorAll("[data-level]")];
  const filter = () => {
    for (const row of rows) row.hidden = !choices.every(({ name, value }) => !value || row.dataset[name] === value);
    const entries = rows.filter((row) => row.matches(".entry"));
    const left = entries.filter((row) => !row.hidden);
    document.getElementById("left").textContent = `${left.length} of ${entries.length} rows shown`;
    for (const board of document.querySelectorAll(".board")) {
      board.querySelector(".none-left").hidden = left.some((row) => board.contains(row));
    }
  };
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  for (const one of choices) one.addEventListener("change", filter);
  addEventListener("hashchange", open);
  open();
}
