package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.MapperTarget;
import dev.holdfast.host.ProgramCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Lists the blocks in which two volumes of an active pool differ. The kernel keeps a snapshot of
 * the pool's metadata during a call, at most one per pool. Its status tells whether a crash left
 * one.
 */
public final class ThinChanges {
  private static final Duration SHORT = Duration.ofMinutes(1);
  private static final int HELD_ROOT = 3;
  private static final String TOOLS = "thin-provisioning-tools";

  private final Host host;
  private final LvmGroup lvm;
  private final String pool;

  /**
   * Works on a pool. One thread at a time does so.
   *
   * @param pool name of its logical volume
   */
  public ThinChanges(Host host, LvmGroup lvm, String pool) {
    this.host = host;
    this.lvm = lvm;
    this.pool = pool;
  }

  private String device(String suffix) {
    return lvm.device(pool).getFileName() + suffix;
  }

  private void message(String text) throws StorageException {
    String dmsetup = host.require("dmsetup", "dmsetup");
    String unused =
        host.check(ProgramCall.of(SHORT, List.of(dmsetup, "message", device("-tpool"), "0", text)));
  }

  /** Releases what a crash left. */
  public void release() throws StorageException {
    MapperTarget status = new DeviceMapper(host).status(device("-tpool")).get(0);
    String[] fields = status.arguments().split(" ", -1);
    if (fields.length > HELD_ROOT && !fields[HELD_ROOT].equals("-")) {
      message("release_metadata_snap");
    }
  }

  /**
   * Reports where two volumes may differ, without gaps up to the size of the newer one.
   *
   * @param older number of the older one, empty to report what the newer one has allocated
   * @param newer the newer volume
   * @param visitor receives differing ranges as data and equal ones as holes
   */
  public void visit(Optional<Long> older, LogicalVolume newer, ExtentVisitor visitor)
      throws StorageException {
    release();
    message("reserve_metadata_snap");
    try {
      read(command(older, newer.thinId()), new GapFiller(newer.sizeBytes(), visitor));
    } finally {
      message("release_metadata_snap");
    }
  }

  private List<String> command(Optional<Long> older, long newer) throws StorageException {
    String metadata = "/dev/mapper/" + device("_tmeta");
    return older.isPresent()
        ? List.of(
            host.require("thin_delta", TOOLS),
            "--metadata-snap",
            "--snap1",
            Long.toString(older.get()),
            "--snap2",
            Long.toString(newer),
            metadata)
        : List.of(
            host.require("thin_dump", TOOLS),
            "--metadata-snap",
            "--dev-id",
            Long.toString(newer),
            metadata);
  }

  private void read(List<String> command, GapFiller filler) throws StorageException {
    HostProcess process = host.start(command);
    DeltaParser parser = new DeltaParser();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8))) {
      process.input().close();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Optional<DeltaParser.Range> range = parser.line(line);
        if (range.isPresent() && !filler.data(range.get())) {
          return;
        }
      }
      requireSuccess(command, process);
      filler.end();
    } catch (IOException e) {
      throw StorageException.io("pool " + pool + ": list of changes", e);
    } finally {
      process.kill();
    }
  }

  private void requireSuccess(List<String> command, HostProcess process) throws StorageException {
    try {
      int code = process.exit().join();
      if (code != 0) {
        throw new StorageException(
            ErrorCode.IO, "pool " + pool + ": exit code " + code + " of " + command);
      }
    } catch (CompletionException e) {
      throw new StorageException(ErrorCode.UNREACHABLE, "pool " + pool + ": the host is lost", e);
    }
  }

  /** Turns ascending ranges into extents without gaps. */
  private static final class GapFiller {
    private final long size;
    private final ExtentVisitor visitor;
    private long at;
    private boolean stopped;

    GapFiller(long size, ExtentVisitor visitor) {
      this.size = size;
      this.visitor = visitor;
    }

    /** Returns false when the visitor needs no more. */
    boolean data(DeltaParser.Range range) {
      report(Math.min(range.from(), size), ExtentKind.HOLE);
      report(Math.min(range.from() + range.length(), size), ExtentKind.DATA);
      return !stopped;
    }

    private void report(long end, ExtentKind kind) {
      if (end > at && !stopped) {
        stopped = !visitor.extent(at, end - at, kind);
        at = end;
      }
    }

    void end() {
      report(size, ExtentKind.HOLE);
    }
  }
}
