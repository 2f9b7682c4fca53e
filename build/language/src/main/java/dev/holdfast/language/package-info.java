/** The prose check: words and sentences that {@code docs/STYLE.md} rejects. */
package dev.holdfast.language;
