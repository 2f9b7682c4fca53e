package dev.holdfast.node.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import java.time.Instant;

/** A program that checks one disk in the mount namespace in which it is started. */
final class ObservedDisk {
  private ObservedDisk() {}

  /** Prints the reason, the size and the available bytes. */
  public static void main(String[] arguments) {
    DiskStatus status =
        DiskProbe.observe(
            "disk-1",
            DiskSpec.EMPTY.withPath(arguments[0]),
            DiskStatus.EMPTY,
            Instant.ofEpochSecond(1));
    Condition ready = Condition.find(status.conditions(), DiskProbe.READY).orElseThrow();
    System.out.println(
        ready.reason()
            + " "
            + status.storageMaximum().bytes()
            + " "
            + status.storageAvailable().bytes());
  }
}
