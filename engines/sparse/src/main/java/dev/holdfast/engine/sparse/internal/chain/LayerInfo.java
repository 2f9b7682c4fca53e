package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.layout.LayerMeta;

/**
 * Description of a layer by which replicas compare it.
 *
 * @param image name of its file
 * @param meta its metadata
 * @param sizeBytes its logical size in bytes
 * @param checksum stored checksum, empty when none is stored
 */
public record LayerInfo(String image, LayerMeta meta, long sizeBytes, String checksum) {}
