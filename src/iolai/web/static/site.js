// Ticks the countdowns, marks what was chosen, asks before what cannot be undone. Every page works
// without it: the server writes the same texts.
(function () {
  "use strict";
  var UNITS = [["day", 86400], ["h", 3600], ["min", 60]];

  function span(seconds) {
    if (seconds < 60) return Math.max(0, Math.round(seconds)) + " s";
    var found = [];
    UNITS.forEach(function (unit) {
      var n = Math.floor(seconds / unit[1]);
      seconds -= n * unit[1];
      if (n && found.length < 2) {
        found.push(n + " " + unit[0] + (unit[0] === "day" && n > 1 ? "s" : ""));
      }
    });
    return found.join(" ");
  }

  // The server says how many seconds are left, so a wrong clock on this side does no harm.
  function tick() {
    document.querySelectorAll("[data-seconds-left]").forEach(function (place) {
      if (!place.dataset.until) {
        place.dataset.until = performance.now() + 1000 * Number(place.dataset.secondsLeft);
      }
      place.textContent = span((Number(place.dataset.until) - performance.now()) / 1000);
    });
  }

  // At most so many boxes of a group may be ticked.
  function limit(group) {
    var boxes = Array.prototype.slice.call(group.querySelectorAll("input[type=checkbox]"));
    var most = Number(group.dataset.most);
    var n = boxes.filter(function (box) { return box.checked; }).length;
    boxes.forEach(function (box) { box.disabled = box.dataset.fixed === "yes" || (!box.checked && n >= most); });
  }

  document.querySelectorAll("[data-most]").forEach(function (group) {
    limit(group);
    group.addEventListener("change", function () { limit(group); });
  });
  document.addEventListener("submit", function (event) {
    var question = event.target.dataset && event.target.dataset.ask;
    if (question && !window.confirm(question)) event.preventDefault();
  });
  setInterval(tick, 1000);
  tick();
})();
