package dev.holdfast.snapshot.internal;

import dev.holdfast.host.LocalHost;
import java.nio.file.Path;

/** A process that freezes a volume's filesystem and then does nothing, to be killed. */
final class FreezingProcess {
  private FreezingProcess() {}

  /** Prints {@code frozen} once the filesystem is frozen. */
  public static void main(String[] arguments) throws Exception {
    Path data = Path.of(arguments[0]);
    FilesystemFreezer freezer =
        new FilesystemFreezer(
            new LocalHost(),
            data,
            LoopFilesystem.mounts(data, arguments[1]),
            FilesystemFreezer.Limits.DEFAULT);
    FilesystemFreezer.Frozen frozen = freezer.freeze(LoopFilesystem.VOLUME).orElseThrow();
    System.out.println("frozen");
    if (System.in.read() < 0) {
      frozen.thaw();
    }
  }
}
