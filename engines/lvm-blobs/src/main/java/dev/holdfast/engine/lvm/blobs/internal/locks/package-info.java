/** State of lvmlockd and sanlock on a host, by their programs. Knows no blobs. */
package dev.holdfast.engine.lvm.blobs.internal.locks;
