package dev.holdfast.upgrader.internal;

import java.util.OptionalInt;

/**
 * A bundle of a source, or one that an operation restores.
 *
 * @param content content of its jar
 * @param level the start level that its feature names, or that it had; empty for none
 */
record SourceBundle(JarContent content, OptionalInt level) {}
