package dev.holdfast.commands;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeSpec;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A volume that a user asks for; what is left out takes the model's default.
 *
 * @param name of the volume
 * @param size as the user wrote it, for example {@code 1Gi}
 * @param replicas copies wanted
 * @param engine what keeps the bytes
 * @param frontend how hosts reach it
 */
public record VolumeRequest(
    String name,
    String size,
    OptionalInt replicas,
    Optional<String> engine,
    Optional<String> frontend) {

  /** A request with the model's defaults. */
  public static VolumeRequest of(String name, String size) {
    return new VolumeRequest(name, size, OptionalInt.empty(), Optional.empty(), Optional.empty());
  }

  VolumeRequest withSize(String newSize) {
    return new VolumeRequest(name, newSize, replicas, engine, frontend);
  }

  Volume toVolume() throws StorageException {
    VolumeSpec defaults = VolumeSpec.EMPTY;
    return Volume.of(
        name,
        defaults
            .withSize(quantity(name, size))
            .withNumberOfReplicas(replicas.orElse(defaults.numberOfReplicas()))
            .withDataEngine(engine.orElse(defaults.dataEngine()))
            .withFrontend(frontend.orElse(defaults.frontend())));
  }

  static Quantity quantity(String name, String size) throws StorageException {
    try {
      return Quantity.parse(size);
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "volume " + name + ": spec.size: " + e.getMessage(), e);
    }
  }
}
