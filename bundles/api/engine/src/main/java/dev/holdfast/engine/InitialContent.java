package dev.holdfast.engine;

/**
 * First content of a new replica. The platform requests a variant only from an engine with the
 * matching capability; {@link EmptyContent} needs no capability.
 *
 * @since 2.1
 */
public sealed interface InitialContent permits EmptyContent, SnapshotContent, BaseContent {}
