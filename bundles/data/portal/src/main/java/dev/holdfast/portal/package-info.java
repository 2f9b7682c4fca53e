/**
 * The portal and its options. The conformance kit of frontends runs it without a container.
 *
 * <p>This package uses the packages below {@code internal}, in this order: {@code listen}, {@code
 * replace}, {@code session}, {@code transport}. Each uses only packages after it.
 */
package dev.holdfast.portal;
