package dev.holdfast.engine;

/**
 * First content of a new replica. A variant is requested only of an engine that has its capability;
 * {@link EmptyContent} needs none.
 *
 * @since 2.1
 */
public sealed interface InitialContent permits EmptyContent, SnapshotContent, BaseContent {}
