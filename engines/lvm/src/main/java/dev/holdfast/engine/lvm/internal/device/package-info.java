/** Bytes of a device of the host, around its page cache. */
package dev.holdfast.engine.lvm.internal.device;
