package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.base.BaseIdentity;
import dev.holdfast.engine.sparse.internal.base.SealedBase;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import java.io.IOException;
import java.util.Map;

/** A sealed base in a folder of a simulated disk. */
public final class SimulatedBase {
  private static final String FILE = "backing";

  private SimulatedBase() {}

  /** Returns the identity of a base with this length. */
  public static BaseIdentity identity(long size) {
    return new BaseIdentity("image", "1a2b", size, "sum:1");
  }

  /**
   * Creates the base durably.
   *
   * @param pieces the data by its position, with holes between
   */
  public static SimulatedDisk sealed(
      CrashPoint crash, Mutant mutant, long size, Map<Long, byte[]> pieces) throws IOException {
    SimulatedDisk folder = new SimulatedDisk(crash, mutant);
    folder.putPieces(FILE, size, pieces);
    folder.put(
        StateFiles.FOLDER + "/sealed",
        StateFiles.encode(new SealedBase(identity(size), SimulatedDisk.STAMP)));
    return folder;
  }

  /** Sets the base of a replica. */
  public static void below(SimulatedDisk disk, SimulatedDisk base, long size) throws IOException {
    disk.put(StateFiles.BASE, StateFiles.encode(identity(size)));
    disk.setBase(base);
  }

  /** Returns bytes of the base's file. */
  public static byte[] content(SimulatedDisk base, long position, int length) {
    return base.content(FILE, position, length);
  }
}
