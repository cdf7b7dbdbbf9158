// Makes the board sortable, and keeps its head in sight where the table needs no scrolling sideways.
// Without this script the page is the same table in rank order.
(function () {
  "use strict";
  var table = document.querySelector("table.board");
  var live = document.querySelector(".live");
  if (!table || !live) return;
  var body = table.tBodies[0];
  var original = Array.prototype.slice.call(body.rows);
  var heads = Array.prototype.slice.call(table.querySelectorAll("th[data-column]"));
  var collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function value(row, head) {
    var cell = row.querySelector('[data-of="' + head.dataset.column + '"]');
    return cell ? cell.getAttribute("data-sort") : "";
  }

  function compare(head, direction) {
    var isText = head.dataset.kind === "text";
    return function (one, other) {
      var a = value(one, head), b = value(other, head);
      // What is not known stands last, whichever way the rest is sorted.
      if (a === "" || b === "") return (a === "") - (b === "");
      var order = isText ? collator.compare(a, b) : Number(a) - Number(b);
      return direction === "ascending" ? order : -order;
    };
  }

  function sort(head) {
    var first = head.dataset.first;
    var opposite = first === "ascending" ? "descending" : "ascending";
    var direction = head.getAttribute("aria-sort") === first ? opposite : first;
    heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", direction);
    table.dataset.sorted = direction === first ? head.dataset.column : "";
    // Array.prototype.sort is stable: rows that compare equal stay in the order of their ranks.
    original.slice().sort(compare(head, direction)).forEach(function (row) { body.appendChild(row); });
    live.textContent = "Sorted by " + head.dataset.name + ", " + direction + ".";
  }

  function fit() {
    var frame = table.parentElement;
    frame.classList.remove("fits");
    frame.classList.toggle("fits", table.offsetWidth <= frame.clientWidth);
  }

  heads.forEach(function (head) {
    var button = document.createElement("button");
    button.type = "button";
    button.title = "Sort by " + head.dataset.name;
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener("click", function () { sort(head); });
  });
  document.querySelectorAll(".view input").forEach(function (input) {
    input.addEventListener("change", fit);
  });
  window.addEventListener("resize", fit);
  fit();
})();
