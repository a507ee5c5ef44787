#!/usr/bin/env bash
# system_packages.sh NEED...: installs what is missing of gl (pictures without a display), node, browser (tests), venv,
# where the system has apt and we may use it; says plainly what to do where not. Never fails: what needs the
# package says so itself.
set -u

missing=()
for need in "$@"; do
    case $need in
        gl)
            [ "$(uname)" = Linux ] || continue
            ldconfig -p 2>/dev/null | grep -q 'libEGL\.so\.1' || missing+=(libegl1)
            ldconfig -p 2>/dev/null | grep -q 'libGL\.so\.1' || missing+=(libgl1)
            # Without a driver EGL finds no device; where there is none, Mesa's software one serves.
            compgen -G '/usr/lib*/*/dri/*_dri.so' >/dev/null || compgen -G '/usr/lib*/dri/*_dri.so' >/dev/null ||
                compgen -G '/usr/lib*/*/libgallium*' >/dev/null || compgen -G '/usr/lib*/*/libEGL_nvidia*' >/dev/null ||
                missing+=(libgl1-mesa-dri)
            ;;
        node)
            command -v node >/dev/null || missing+=(nodejs)
            command -v npm >/dev/null || missing+=(npm)
            ;;
        browser)
            [ -n "${NEUROK_CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
                command -v google-chrome >/dev/null || missing+=(chromium)
            ;;
        venv) missing+=(python3-venv) ;;
    esac
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo=(sudo); else sudo=(false); fi
fi
if command -v apt-get >/dev/null && [ "${sudo[*]}" != false ]; then
    echo "installing system packages: ${missing[*]}"
    install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}")
    "${install[@]}" >/dev/null 2>&1 && exit 0
    "${sudo[@]}" apt-get update -qq >/dev/null 2>&1
    "${install[@]}" >/dev/null && exit 0
fi
echo "NOT INSTALLED: ${missing[*]}; install them with your system's package manager (Debian names), then run this again." >&2
echo "Until then, what needs them (gl: MP4 and PNG pictures; node, chromium: tests) will say so or be skipped." >&2
exit 0
