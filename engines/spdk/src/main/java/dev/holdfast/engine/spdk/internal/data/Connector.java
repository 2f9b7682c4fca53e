package dev.holdfast.engine.spdk.internal.data;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.NvmeTarget;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/** Connects this process to namespaces. */
@FunctionalInterface
public interface Connector {
  /** Longest time of a command: SPDK answers within it unless the disk hangs. */
  Duration LIMIT = Duration.ofSeconds(30);

  /**
   * Connects to namespace 1 of a subsystem.
   *
   * @param host NQN by which this process asks for it, not null
   * @return the device, never null; the caller closes it
   * @throws StorageException as {@link NvmeDevice#connect}
   */
  BlockDevice connect(InetSocketAddress address, String nqn, String host) throws StorageException;

  /** Returns whether a failure ended the connection. A status of the target does not. */
  static boolean isLoss(StorageException failure) {
    boolean answered =
        failure instanceof NvmeStatusException || failure.getCause() instanceof NvmeStatusException;
    return !answered
        && (failure.code() == ErrorCode.UNREACHABLE || failure.code() == ErrorCode.TIMEOUT);
  }

  /** Returns connections by NVMe/TCP. */
  static Connector tcp() {
    return (address, nqn, host) ->
        NvmeDevice.connect(
            new NvmeTarget(
                address,
                nqn,
                1,
                host,
                UUID.nameUUIDFromBytes(host.getBytes(StandardCharsets.UTF_8)),
                LIMIT));
  }
}
