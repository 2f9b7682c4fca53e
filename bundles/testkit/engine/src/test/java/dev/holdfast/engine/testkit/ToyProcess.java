package dev.holdfast.engine.testkit;

import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.ExportStatistics.Count;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Stands for the process that serves one volume. It outlives the engines of a lab. */
final class ToyProcess {
  private final ToyFault fault;
  final byte[] bytes;
  final byte[] otherBytes;
  final Map<String, Export> exports = new HashMap<>();
  long generation;

  ToyProcess(ToyFault fault, long size) {
    this.fault = fault;
    bytes = new byte[Math.toIntExact(size)];
    otherBytes = fault == ToyFault.OTHER_BYTES ? new byte[bytes.length] : bytes;
  }

  /** An export and its state; its lock orders holds and requests. */
  final class Export {
    private final List<ToyNbdServer.Client> clients = new ArrayList<>();
    private final long[] counts = new long[5];
    private ExportLimits limits = ExportLimits.NONE;
    private PathAccess access = PathAccess.OPTIMIZED;
    private boolean admitted;
    private boolean withdrawn;
    private boolean held;
    private int inFlight;
    private double debtSeconds;
    private long paidAt = System.nanoTime();

    synchronized void admit(boolean any) {
      admitted = any || fault == ToyFault.ADMITS_ALL_HOSTS;
      if (!admitted) {
        clients.forEach(ToyNbdServer.Client::disconnect);
      }
    }

    synchronized boolean join(ToyNbdServer.Client client) {
      if (admitted && !withdrawn && access != PathAccess.INACCESSIBLE) {
        clients.add(client);
        return true;
      }
      return false;
    }

    synchronized boolean isHeld() {
      return held;
    }

    synchronized void hold() throws InterruptedException {
      held = fault != ToyFault.NO_HOLD;
      while (inFlight > 0 && held && fault != ToyFault.HOLD_DOES_NOT_DRAIN) {
        wait();
      }
    }

    synchronized void release() {
      held = false;
      notifyAll();
    }

    synchronized void limit(ExportLimits next) {
      limits = next;
      debtSeconds = 0;
    }

    synchronized void access(PathAccess next) {
      access = fault == ToyFault.NO_ACCESS_STATE ? access : next;
    }

    synchronized void withdraw() {
      withdrawn = fault != ToyFault.CLOSE_KEEPS_CONNECTIONS;
      admitted = false;
      held = false;
      notifyAll();
      if (withdrawn) {
        clients.forEach(ToyNbdServer.Client::disconnect);
      }
    }

    synchronized ExportStatistics statistics() {
      boolean zero = fault == ToyFault.NO_STATISTICS;
      Count none = new Count(0, 0, 0);
      return new ExportStatistics(
          zero ? none : new Count(counts[0], counts[1], 0),
          zero ? none : new Count(counts[2], counts[3], 0),
          zero ? none : new Count(counts[4], 0, 0),
          none,
          none,
          inFlight);
    }

    /** Carries out a request; returns the content that was read, or null when it is refused. */
    byte[] request(int command, long offset, byte[] payload, int length)
        throws InterruptedException {
      if (!begin()) {
        return null;
      }
      try {
        pay(command, length);
        return carryOut(command, Math.toIntExact(offset), payload, length);
      } finally {
        end();
      }
    }

    private synchronized boolean begin() throws InterruptedException {
      if (held && fault == ToyFault.HOLD_FAILS_REQUESTS) {
        return false;
      }
      while (held) {
        wait();
      }
      boolean served = !withdrawn && access == PathAccess.OPTIMIZED;
      inFlight += served ? 1 : 0;
      return served;
    }

    private synchronized void end() {
      inFlight--;
      notifyAll();
    }

    private void pay(int command, int length) {
      long pause;
      synchronized (this) {
        boolean write = command == Wire.CMD_WRITE;
        double cost =
            share(1, limits.requests())
                + share(length, limits.bytes())
                + share(write ? 0 : 1, limits.reads())
                + share(write ? 0 : length, limits.bytesRead())
                + share(write ? 1 : 0, limits.writes())
                + share(write ? length : 0, limits.bytesWritten());
        long now = System.nanoTime();
        debtSeconds = Math.max(0, debtSeconds - (now - paidAt) / 1e9) + cost;
        paidAt = now;
        pause = (long) ((debtSeconds - limits.burstSeconds()) * 1e9);
      }
      if (pause > 0 && fault != ToyFault.NO_LIMIT) {
        LockSupport.parkNanos(pause);
      }
    }

    private static double share(long amount, long limit) {
      return limit == 0 ? 0 : (double) amount / limit;
    }

    private byte[] carryOut(int command, int offset, byte[] payload, int length) {
      if (fault == ToyFault.HOLD_DOES_NOT_DRAIN) {
        LockSupport.parkNanos(20_000_000);
      }
      synchronized (this) {
        counts[command == Wire.CMD_READ ? 0 : command == Wire.CMD_WRITE ? 2 : 4]++;
        counts[command == Wire.CMD_WRITE ? 3 : 1] += length;
      }
      synchronized (bytes) {
        if (command == Wire.CMD_WRITE) {
          System.arraycopy(payload, 0, otherBytes, offset, length);
          return new byte[0];
        }
        return Arrays.copyOfRange(otherBytes, offset, offset + length);
      }
    }
  }

  synchronized Export export(String name) {
    return exports.computeIfAbsent(name, absent -> new Export());
  }

  synchronized boolean isServing() {
    return !exports.isEmpty();
  }

  synchronized void withdraw(String name) {
    Export export = exports.remove(name);
    if (export != null) {
      export.withdraw();
    }
  }

  synchronized void withdrawAll() {
    List.copyOf(exports.keySet()).forEach(this::withdraw);
  }

  synchronized void releaseHolds() {
    exports.values().forEach(Export::release);
  }

  synchronized Export find(String name) throws IOException {
    Export export = exports.get(name);
    if (export == null) {
      throw new IOException("no export " + name);
    }
    return export;
  }
}
