package dev.holdfast.engine.spdk.simulator.internal.raid;

import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;

/**
 * A place for a device in a mirror. Guarded by the mirror's locks.
 *
 * @param given the name that the caller used
 * @param device the device
 * @param removal called when the device is removed from the target
 */
record Leg(String given, Bdev device, Runnable removal) {}
