/**
 * The portal and its options. The kit of frontends runs it without a container.
 *
 * <p>This package uses those below {@code internal}, in this order: {@code listen}, {@code
 * replace}, {@code session}, {@code transport}. A package uses only packages after it.
 */
package dev.holdfast.portal;
