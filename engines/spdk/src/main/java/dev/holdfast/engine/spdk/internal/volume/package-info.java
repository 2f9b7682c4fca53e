/** Open volumes: their device, snapshots, growth and exports. */
package dev.holdfast.engine.spdk.internal.volume;
