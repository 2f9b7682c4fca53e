/** Reports between nodes about pools that do not serve all writes. */
package dev.holdfast.engine.lvm.blobs.internal.waits;
