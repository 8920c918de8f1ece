// The texts of the page's view whose contrast is below AA (WCAG 2.2, 1.4.3): 4.5 to 1, or 3 to 1 for large text.
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const parts = (colour) => known.get(colour) ?? known.set(colour, drawn(colour)).get(colour);
  const drawn = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (layer, base, share) => base.map((value, at) => layer[at] * share + value * (1 - share));
  const paperOf = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) layers.push(parts(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((base, layer) => over(layer, base, layer[3]), [255, 255, 255]);
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const opacity = (one) => (one ? Number(getComputedStyle(one).opacity) * opacity(one.parentElement) : 1);
  const found = [];
  for (const one of document.querySelectorAll("#view *")) {
    const isText = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    // The score on the bar lies on a drawing, in the colour that is not the drawing's.
    if (!isText || one.closest(".sr, .bar, :disabled") || !one.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(one), paper = paperOf(one);
    const ink = over(parts(style.color), paper, opacity(one));
    const [bright, dim] = [luminance(ink), luminance(paper)].sort((first, second) => second - first);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if ((bright + 0.05) / (dim + 0.05) < (isLarge ? 3 : 4.5)) found.push(`${one.className || one.tagName}: ${one.textContent.trim().slice(0, 30)}`);
  }
  return found;
}
