/** Bytes of the target's devices in this process, over NVMe/TCP on the loopback interface. */
package dev.holdfast.engine.spdk.internal.data;
