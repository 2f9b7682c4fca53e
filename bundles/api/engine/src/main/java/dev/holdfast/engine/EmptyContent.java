package dev.holdfast.engine;

/**
 * A replica that reads as zeroes.
 *
 * @since 2.1
 */
public record EmptyContent() implements InitialContent {}
