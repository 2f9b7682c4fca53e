package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.page.contribution.PageContribution;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/**
 * Shows on the web page what volumes in memory cost: the files are in {@code page-contribution}.
 */
@Component
public final class MemoryPage implements PageContribution {
  @Override
  public String name() {
    return "example-memory";
  }

  @Override
  public List<String> kinds() {
    return List.of("volumes", "settings");
  }
}
