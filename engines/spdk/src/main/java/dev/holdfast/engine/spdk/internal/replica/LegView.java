package dev.holdfast.engine.spdk.internal.replica;

/**
 * A replica as its node sees it.
 *
 * @param store on its disk, not null
 * @param record of the replica, not null
 */
public record LegView(String store, LegRecord record) {}
