// Dark and light: the system's choice until the person makes one.

/** Begin with the remembered theme; returns what a key or button calls to change it. */
export function startTheme(button: HTMLElement, apply: (dark: boolean) => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const read = (): string | null => {
    try {
      return localStorage.getItem("neurok-theme");
    } catch {
      return null; // pages opened from a file may have no storage
    }
  };
  const isDark = () => (read() ?? (system.matches ? "dark" : "light")) === "dark";
  const set = (dark: boolean) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    apply(dark);
  };
  const change = () => {
    const dark = document.documentElement.dataset.theme !== "dark";
    try {
      localStorage.setItem("neurok-theme", dark ? "dark" : "light");
    } catch {
      // nothing is remembered then
    }
    set(dark);
  };
  system.addEventListener("change", () => set(isDark()));
  button.addEventListener("click", change);
  set(isDark());
  return change;
}
