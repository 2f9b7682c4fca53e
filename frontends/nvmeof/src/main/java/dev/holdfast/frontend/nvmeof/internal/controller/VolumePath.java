package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.AccessState;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportState;
import java.util.Optional;

/** The path of a volume by this export, read from the state of the export. Thread-safe. */
public final class VolumePath {
  private static final ExportPath ONLY = ExportPath.of(0, AccessState.OPTIMIZED);

  private final ExportState state;
  private volatile Known known = new Known(Optional.empty(), ONLY);

  private record Known(Optional<String> text, ExportPath path) {}

  public VolumePath(ExportState state) {
    this.state = state;
  }

  /** Returns whether requests are served; as cheap as reading two fields. */
  public boolean serves() {
    return present().access() == AccessState.OPTIMIZED;
  }

  /** Returns how often the access state changed. */
  public long changes() {
    return present().changes();
  }

  @SuppressWarnings("ReferenceEquality") // The same text need not be parsed again.
  private ExportPath present() {
    Known last = known;
    Optional<String> text = state.text(ExportPath.TEXT);
    if (text.isPresent() == last.text().isPresent()
        && (text.isEmpty() || text.get() == last.text().get())) {
      return last.path();
    }
    Known next = new Known(text, text.flatMap(ExportPath::read).orElse(ONLY));
    known = next;
    return next.path();
  }
}
