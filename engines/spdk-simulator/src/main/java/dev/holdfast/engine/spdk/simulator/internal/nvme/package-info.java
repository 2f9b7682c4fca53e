/** Controllers of other targets, and their namespaces as devices. */
package dev.holdfast.engine.spdk.simulator.internal.nvme;
