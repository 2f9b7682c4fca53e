package ${package};

import dev.holdfast.page.contribution.PageContribution;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The largest volumes on the web page: the script is in {@code page-contribution}. */
@Component
public final class LargestVolumes implements PageContribution {
  @Override
  public String name() {
    return "${artifactId}";
  }

  @Override
  public List<String> kinds() {
    return List.of("volumes", "settings");
  }
}
