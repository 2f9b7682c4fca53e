package dev.holdfast.engine.spdk.simulator.fabric;

/** The side of a target that listens at addresses. */
public interface FabricPort {}
