package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.layout.LayerMeta;

/**
 * A layer as replicas compare them.
 *
 * @param image its file
 * @param meta its metadata
 * @param sizeBytes its logical size
 * @param checksum what was remembered of it, empty when nothing
 */
public record LayerInfo(String image, LayerMeta meta, long sizeBytes, String checksum) {}
