package dev.holdfast.engine.testkit;

import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Export of the toy engine. */
final class ToyExport implements NativeExport {
  private final ToyVolume volume;
  private final String name;
  private final ToyProcess.Export served;
  private final URI endpoint;
  private boolean closed;

  ToyExport(ToyVolume volume, String name) {
    this.volume = volume;
    this.name = name;
    served = volume.machine.process.export(name);
    endpoint = volume.machine.server.endpoint(name);
  }

  void apply(ExportRequest request) throws StorageException {
    limit(request.limits());
    access(request.access());
    served.admit(!request.hosts().isEmpty());
  }

  private void requireUsable() throws StorageException {
    if (volume.isEnded() || closed) {
      throw new StorageException(ErrorCode.IO, "export " + name + " has ended");
    }
    if (served.isHeld() && volume.machine.fault != ToyFault.HOLDS_TWICE) {
      throw new StorageException(ErrorCode.BUSY, "export " + name + " is held: release it first");
    }
  }

  @Override
  public List<URI> endpoints() {
    return List.of(endpoint);
  }

  @Override
  public ExportHold hold(Duration drain) throws StorageException {
    requireUsable();
    try {
      served.hold();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "interrupted", e);
    }
    return served::release;
  }

  @Override
  public void limit(ExportLimits limits) throws StorageException {
    requireUsable();
    if (volume.machine.fault == ToyFault.REFUSES_LIMIT_WITHOUT_NAME && limits.isAny()) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "this cannot be kept");
    }
    served.limit(limits);
  }

  @Override
  public void access(PathAccess access) throws StorageException {
    requireUsable();
    served.access(access);
  }

  @Override
  public Optional<ExportStatistics> statistics() {
    return Optional.of(served.statistics());
  }

  @Override
  public void close() {
    if (!closed && !volume.isEnded()) {
      closed = true;
      volume.machine.process.withdraw(name);
      volume.forget(name);
    }
  }
}
