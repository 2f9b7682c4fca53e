package dev.holdfast.engine.lvm.blobs.links;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Device of the kernel whose requests go to an export on another node.
 *
 * @param device its path
 * @param number major and minor number, such as {@code 43:0}
 * @param exportName of the export to which it is connected; it identifies the device
 */
public record LinkedDevice(Path device, String number, String exportName) {
  /** Checks that nothing is missing. */
  public LinkedDevice {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(number, "number");
    Objects.requireNonNull(exportName, "exportName");
  }
}
