/**
 * The parts of the API server put together, and the router that finds what a request is for.
 *
 * <p>This package uses {@code auth}, {@code openapi}, {@code resources} and {@code http}. The
 * package {@code openapi} uses {@code resources}, {@code resources} uses {@code patch}, and all but
 * {@code patch} use {@code http}.
 */
package dev.holdfast.apiserver.internal;
