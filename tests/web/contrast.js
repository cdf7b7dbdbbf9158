// Returns the texts of a page that stand out from what is behind them by less than 4.5 (WCAG 2 AA).
() => {
  const parts = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((n) => {
      const c = n / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      const [, , , alpha = 1] = parts(colour);
      if (alpha > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest("[disabled]")) continue;
    const a = luminance(getComputedStyle(element).color), b = luminance(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...found];
}
