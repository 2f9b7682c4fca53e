package dev.holdfast.engine.spdk.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.process.NodeTarget;
import dev.holdfast.engine.spdk.internal.process.TargetOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides which target a node uses: one that it runs itself, or one that another program runs. */
final class TargetChoice {
  private static final Logger LOG = LoggerFactory.getLogger(TargetChoice.class);

  private TargetChoice() {}

  /**
   * Returns the target of a node; begins to start it if the options name a program.
   *
   * @param property value of an option
   */
  static SpdkTarget of(SpdkSettings settings, Function<String, Optional<String>> property) {
    try {
      Optional<TargetOptions> options = TargetOptions.read(property);
      return options.isEmpty()
          ? new OtherTarget(settings)
          : NodeTarget.start(
              settings.processes(),
              options.get(),
              target -> new Subsystems(target).ensureTransport());
    } catch (StorageException e) {
      LOG.error("SPDK target: {}", e.getMessage());
      return new RefusedTarget(settings, e);
    }
  }

  /** A target that another program runs. */
  private static final class OtherTarget extends SpdkTarget {
    OtherTarget(SpdkSettings settings) {
      super(settings.socket());
    }

    @Override
    public JsonNode call(String method, ObjectNode params, Duration patience)
        throws StorageException {
      try {
        return super.call(method, params, patience);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE) {
          throw e;
        }
        throw new StorageException(
            e.code(),
            e.getMessage()
                + ", or set "
                + TargetOptions.PROGRAM
                + " to an nvmf_tgt that this node shall run",
            e);
      }
    }
  }

  /** A target whose options are not valid. */
  private static final class RefusedTarget extends SpdkTarget {
    private final StorageException problem;

    RefusedTarget(SpdkSettings settings, StorageException problem) {
      super(settings.socket());
      this.problem = problem;
    }

    @Override
    public JsonNode call(String method, ObjectNode params, Duration patience)
        throws StorageException {
      throw new StorageException(ErrorCode.UNSUPPORTED, problem.getMessage(), problem);
    }
  }
}
