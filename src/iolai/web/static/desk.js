// The marking desk: keys, and saving at each step. A mark is first put into this browser's own
// store, then sent, and leaves the store only when the server has answered that it is kept. One
// that was not kept stays there, and is shown with the reason, until the juror lets it go. Without
// this script the form saves as any form does.
(function () {
  "use strict";
  var form = document.getElementById("marks");
  var list = document.getElementById("unsaved");
  if (!list) return;

  var PREFIX = "iolai-desk/" + list.dataset.key + "/";
  var NOTE_PAUSE_MS = 700, DIGIT_PAUSE_MS = 600, SEND_TIMEOUT_MS = 15000, MAX_WAIT_MS = 30000;
  var criteria = form ? Array.prototype.slice.call(form.querySelectorAll(".criterion")) : [];
  var stateLine = document.getElementById("save-state");
  var help = document.getElementById("help"), ask = document.getElementById("ask");
  var keysOn = document.getElementById("keys-on");
  var sending = false, waitMs = 1000, timer = 0, loggedOut = false, handingOver = false;
  var noteTimers = {}, counter = 0, spare = {}, previous = {}, oneByOne = false;

  // -- the store of what is not kept yet: one key each, so that two tabs never overwrite ----------

  function store() {
    try { return window.localStorage; } catch (error) { return null; }
  }

  function newId() {
    var bytes = new Uint8Array(16);
    window.crypto.getRandomValues(bytes);
    return Array.prototype.map.call(bytes, function (b) { return ("0" + b.toString(16)).slice(-2); }).join("");
  }

  function put(name, entry) {
    spare[name] = entry; // where the browser's store is full or switched off, this page's memory
    try { store().setItem(name, JSON.stringify(entry)); } catch (error) { /* spare holds it */ }
  }

  // A name begins with the time at which the mark was made.
  function keep(entry) {
    counter += 1;
    put(PREFIX + String(Date.now()).padStart(14, "0") + "-" + String(counter).padStart(6, "0") + "-" + entry.client_id, entry);
  }

  function ageOf(one) {
    return Math.max(0, Date.now() - Number(one.name.split("/").pop().slice(0, 14)));
  }

  function drop(name) {
    delete spare[name];
    try { store().removeItem(name); } catch (error) { /* was in spare alone */ }
  }

  function held() {
    var found = {}, kept = store();
    Object.keys(spare).forEach(function (name) { found[name] = spare[name]; });
    for (var i = 0; kept && i < kept.length; i += 1) {
      var name = kept.key(i);
      if (name.indexOf(PREFIX) === 0) {
        try { found[name] = JSON.parse(kept.getItem(name)); } catch (error) { /* no entry of ours */ }
      }
    }
    return Object.keys(found).sort().map(function (name) { return { name: name, entry: found[name] }; });
  }

  function waiting() { return held().filter(function (one) { return !one.entry.refused; }); }
  function unsaved() { return held().filter(function (one) { return one.entry.refused; }); }

  // -- what was not saved: on its paper's page, and all of it on the juror's list of papers --------

  function paperOf(one) { return form ? "" : "Paper " + one.name.slice(PREFIX.length).split("/")[0] + ", "; }

  function inWords(one) {
    var entry = one.entry;
    var text = paperOf(one) + entry.criterion + ": " + (entry.points === null ? "mark taken back" : entry.points + (entry.points === 1 ? " point" : " points"));
    if (entry.note) text += ", note \u201c" + entry.note + "\u201d";
    return text + ". " + (entry.refused || "It waits in this browser; open the paper, and it is sent.");
  }

  function showUnsaved() {
    var found = form && form.dataset.closed !== "yes" ? unsaved() : held();
    found = found.filter(function (one) { return one.entry.kind === "own"; });
    var items = list.querySelector("ul");
    var text = found.map(inWords).join("\n");
    list.hidden = !found.length;
    if (items.dataset.text === text) return;
    items.dataset.text = text;
    items.textContent = "";
    found.forEach(function (one) {
      var item = document.createElement("li"), button = document.createElement("button");
      item.textContent = inWords(one) + " ";
      button.type = "button";
      button.className = "link";
      button.textContent = "Let it go";
      button.setAttribute("aria-label", "Let go: " + one.entry.criterion);
      button.addEventListener("click", function () {
        drop(one.name);
        showUnsaved();
        if (form && form.dataset.closed !== "yes") tell();
      });
      item.appendChild(button);
      items.appendChild(item);
    });
  }

  if (!form || form.dataset.closed === "yes") { showUnsaved(); return; }

  // -- what the page says about each criterion, and on the whole -----------------------------------

  function place(criterion) {
    return criteria.filter(function (one) { return one.dataset.criterion === criterion; })[0];
  }

  function say(criterion, text, tone) {
    var box = place(criterion);
    if (!box) return;
    var line = box.querySelector(".criterion-state");
    line.textContent = text;
    line.className = "criterion-state" + (tone ? " " + tone : "");
  }

  function pointsOf(box) {
    var chosen = box.querySelector("input[type=radio]:checked");
    return chosen ? Number(chosen.value) : null;
  }

  function total() {
    var sum = 0, n = 0;
    criteria.forEach(function (box) {
      var points = pointsOf(box);
      if (points !== null) { sum += points; n += 1; }
    });
    document.getElementById("total").textContent = n + " of " + criteria.length + " marked, " + sum + " points so far.";
  }

  function tell() {
    var left = waiting().length, text = "All is saved.", tone = "good";
    if (loggedOut) {
      text = "You are logged out. " + left + " waiting here; nothing is lost. "; tone = "bad";
    } else if (left && !navigator.onLine) {
      text = "Offline: " + left + " waiting here, sent when the line is back."; tone = "wait";
    } else if (left) {
      text = left + " waiting to be saved."; tone = "wait";
    }
    if (unsaved().length && !loggedOut) { text = (left ? text + " " : "") + "Something was not saved: see below."; tone = "bad"; }
    showUnsaved();
    stateLine.hidden = false;
    stateLine.className = "desk-state " + tone;
    if (stateLine.dataset.text === text) return;
    stateLine.dataset.text = text;
    stateLine.textContent = text;
    if (loggedOut) {
      var link = document.createElement("a");
      link.href = form.dataset.login;
      link.textContent = "Log in again";
      stateLine.appendChild(link);
    }
  }

  // -- sending ------------------------------------------------------------------------------------

  function later() {
    window.clearTimeout(timer);
    timer = window.setTimeout(send, waitMs);
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
  }

  // As many as the server takes in one request: it reads a megabyte.
  function nextBatch() {
    var length = 0;
    return waiting().slice(0, oneByOne ? 1 : 100).filter(function (one, place) {
      length += JSON.stringify(one.entry).length;
      return place === 0 || length < 200000;
    });
  }

  function send() {
    var batch = nextBatch();
    if (sending || !batch.length) { tell(); return; }
    sending = true;
    var stop = new AbortController();
    var clock = window.setTimeout(function () { stop.abort(); }, SEND_TIMEOUT_MS);
    window.fetch(form.dataset.url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": form.dataset.csrf },
      body: JSON.stringify({ marks: batch.map(function (one) { return Object.assign({}, one.entry, { age_ms: ageOf(one) }); }) }),
      credentials: "same-origin",
      redirect: "manual",
      signal: stop.signal
    }).then(function (answer) {
      if (answer.ok) return answer.json().then(function (saved) { settle(batch, saved); });
      if (answer.type === "opaqueredirect" || answer.status === 401 || answer.status === 403) { loggedOut = true; return null; }
      if (answer.status === 422 && batch.length > 1) { oneByOne = true; return null; } // find which
      if (answer.status === 404 || answer.status === 422) {
        var why = answer.status === 404 ? "This paper takes no more marks from you. Ask an organiser whether it went to another juror." : "The server could not read this mark. Load the paper again and give it anew.";
        batch.forEach(function (one) { refuse(one, why); });
        return null;
      }
      throw new Error(String(answer.status));
    }).then(function () {
      done(clock);
      waitMs = 1000;
      if (waiting().length && !loggedOut) later();
    }, function () {
      done(clock);
      later();
    });
    tell();
  }

  function done(clock) {
    window.clearTimeout(clock);
    sending = false;
    tell();
  }

  function settle(batch, saved) {
    var answers = {};
    saved.forEach(function (one) { answers[one.client_id] = one; });
    batch.forEach(function (one) {
      var answer = answers[one.entry.client_id];
      if (!answer) return;
      if (!answer.kept) { refuse(one, answer.message + ". " + answer.hint); return; }
      drop(one.name);
      if (one.entry.kind === "handed_over") { window.location.assign(form.dataset.done); return; }
      if (answer.message) { say(one.entry.criterion, sentence(answer.message + ". " + answer.hint), "wait"); return; }
      unsaved().forEach(function (other) {
        if (other.entry.criterion === one.entry.criterion && other.name < one.name) drop(other.name);
      });
      var more = waiting().some(function (other) { return other.entry.criterion === one.entry.criterion; });
      if (!more) say(one.entry.criterion, one.entry.points === null ? "taken back" : "saved", "good");
    });
  }

  function sentence(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

  function refuse(one, text) {
    if (one.entry.kind === "handed_over") {
      drop(one.name);
      handingOver = false;
      window.alert(sentence(text));
      return;
    }
    put(one.name, Object.assign({}, one.entry, { refused: sentence(text) }));
    say(one.entry.criterion, "not saved: " + sentence(text), "bad");
  }

  function mark(box) {
    var criterion = box.dataset.criterion;
    window.clearTimeout(noteTimers[criterion]);
    delete noteTimers[criterion];
    var id = newId(), after = previous[criterion] || "";
    previous[criterion] = id;
    keep({
      client_id: id,
      after: after,
      criterion: criterion,
      points: pointsOf(box),
      note: box.querySelector("textarea").value,
      rubric_version: Number(form.dataset.version),
      kind: "own"
    });
    say(criterion, "waiting", "wait");
    total();
    send();
  }

  function noted(box) {
    var criterion = box.dataset.criterion;
    if (pointsOf(box) === null) { say(criterion, "The note is kept with the points: give some.", "wait"); return; }
    say(criterion, "waiting", "wait");
    window.clearTimeout(noteTimers[criterion]);
    noteTimers[criterion] = window.setTimeout(function () { mark(box); }, NOTE_PAUSE_MS);
  }

  function finishNotes() {
    Object.keys(noteTimers).forEach(function (criterion) { mark(place(criterion)); });
  }

  function handOver() {
    finishNotes();
    var first = criteria.filter(function (box) { return pointsOf(box) === null; })[0];
    if (first) { say(first.dataset.criterion, "Not marked yet; 0 is a mark.", "todo"); focusOn(first); tell(); return; }
    if (!ask.open) ask.showModal();
  }

  ask.addEventListener("close", function () {
    if (ask.returnValue !== "yes" || handingOver) return;
    handingOver = true;
    keep({ client_id: newId(), criterion: "", points: null, note: "", rubric_version: Number(form.dataset.version), kind: "handed_over" });
    send();
  });

  // -- keys ---------------------------------------------------------------------------------------

  var current = 0, digits = "", digitTimer = 0;

  function focusOn(box) {
    current = criteria.indexOf(box);
    box.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
  }

  function move(step) {
    var here = criteria.indexOf(document.activeElement.closest ? document.activeElement.closest(".criterion") : null);
    var next = here < 0 ? (step > 0 ? current : current) : here + step;
    focusOn(criteria[Math.max(0, Math.min(criteria.length - 1, next))]);
  }

  function choose(value) {
    var box = criteria[current];
    var options = box.querySelectorAll("input[type=radio]");
    for (var i = 0; i < options.length; i += 1) {
      if (Number(options[i].value) === value) {
        if (!options[i].checked) { options[i].checked = true; mark(box); }
        return true;
      }
    }
    return false;
  }

  function digit(key) {
    window.clearTimeout(digitTimer);
    digitTimer = window.setTimeout(function () { digits = ""; }, DIGIT_PAUSE_MS);
    digits += key;
    if (!choose(Number(digits)) && digits.length > 1) { digits = key; choose(Number(key)); }
  }

  function half() {
    var points = pointsOf(criteria[current]);
    choose((points === null ? 0 : points) % 1 ? points - 0.5 : (points || 0) + 0.5);
  }

  function takeBack() {
    var box = criteria[current], chosen = box.querySelector("input[type=radio]:checked");
    if (chosen) { chosen.checked = false; mark(box); }
  }

  var KEYS = {
    j: function () { move(1); },
    k: function () { move(-1); },
    ArrowDown: function () { move(1); },
    ArrowUp: function () { move(-1); },
    n: function () { criteria[current].querySelector("textarea").focus(); },
    x: takeBack,
    ".": half,
    h: handOver,
    q: function () { document.getElementById("to-queue").click(); },
    "?": function () { help.showModal(); }
  };

  document.addEventListener("keydown", function (event) {
    var at = event.target, tag = at.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || ask.open) return;
    if (tag === "TEXTAREA") { if (event.key === "Escape") { focusOn(at.closest(".criterion")); event.preventDefault(); } return; }
    if (!keysOn.checked || tag === "SELECT" || (tag === "INPUT" && at.type !== "radio")) return;
    // In a group of choices the arrows choose, as everywhere; elsewhere they move on.
    if (tag === "INPUT" && event.key.indexOf("Arrow") === 0) return;
    if (event.key.indexOf("Arrow") === 0 && !(at.closest && at.closest("#marks"))) return;
    if (/^[0-9]$/.test(event.key)) { digit(event.key); event.preventDefault(); return; }
    if (KEYS[event.key]) { KEYS[event.key](); event.preventDefault(); }
  });

  // -- begin --------------------------------------------------------------------------------------

  criteria.forEach(function (box) {
    box.addEventListener("focusin", function () { current = criteria.indexOf(box); });
    box.addEventListener("change", function (event) { if (event.target.type === "radio") mark(box); });
    var note = box.querySelector("textarea");
    note.addEventListener("input", function () { noted(box); });
    note.addEventListener("blur", function () { if (noteTimers[box.dataset.criterion]) mark(box); });
  });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (event.submitter && event.submitter.hasAttribute("data-hand-over")) { handOver(); return; }
    finishNotes();
    send();
  });
  document.getElementById("help-open").hidden = false;
  document.getElementById("help-open").addEventListener("click", function () { help.showModal(); });
  try { keysOn.checked = store().getItem("iolai-desk-keys") !== "off"; } catch (error) { /* stays on */ }
  keysOn.addEventListener("change", function () {
    try { store().setItem("iolai-desk-keys", keysOn.checked ? "on" : "off"); } catch (error) { /* this page only */ }
  });
  window.addEventListener("online", function () { waitMs = 1000; send(); });
  window.addEventListener("offline", tell);
  window.addEventListener("pagehide", finishNotes);
  // What an earlier visit could not send stands in the form again, and is sent now.
  waiting().forEach(function (one) {
    var box = place(one.entry.criterion);
    if (!box || one.entry.kind !== "own") return;
    previous[one.entry.criterion] = one.entry.client_id;
    box.querySelectorAll("input[type=radio]").forEach(function (option) {
      option.checked = one.entry.points !== null && Number(option.value) === one.entry.points;
    });
    box.querySelector("textarea").value = one.entry.note;
    say(one.entry.criterion, "waiting", "wait");
  });
  total();
  send();
  if (keysOn.checked && !window.matchMedia("(pointer: coarse)").matches && criteria.length) focusOn(criteria[0]);
})();
