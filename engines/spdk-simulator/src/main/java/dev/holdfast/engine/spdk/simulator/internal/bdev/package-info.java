/** Block devices of a simulated target, and their registry. */
package dev.holdfast.engine.spdk.simulator.internal.bdev;
