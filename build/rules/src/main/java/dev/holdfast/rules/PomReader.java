package dev.holdfast.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Reads the own dependencies of a module, those that its parent poms declare included. */
final class PomReader {
  private static final String GROUP = "dev.holdfast";

  private final Path root;

  PomReader(Path root) {
    this.root = root;
  }

  Module read(Path pom) {
    Element project = parse(pom);
    Set<String> dependencies = new TreeSet<>();
    for (Path at = pom; at != null; at = parent(at, parse(at))) {
      addDependencies(parse(at), dependencies);
    }
    String folder = root.relativize(pom.getParent()).toString().replace('\\', '/');
    return new Module(
        folder,
        text(project, "artifactId"),
        dependencies,
        !children(project, "modules").isEmpty(),
        lines(pom));
  }

  private static void addDependencies(Element project, Set<String> artifacts) {
    for (Element list : children(project, "dependencies")) {
      for (Element dependency : children(list, "dependency")) {
        if (text(dependency, "groupId").equals(GROUP)
            && !text(dependency, "scope").equals("test")) {
          artifacts.add(text(dependency, "artifactId"));
        }
      }
    }
  }

  private static Path parent(Path pom, Element project) {
    for (Element parent : children(project, "parent")) {
      String relative = text(parent, "relativePath");
      Path at =
          pom.resolveSibling(relative.isEmpty() ? "../pom.xml" : relative)
              .toAbsolutePath()
              .normalize();
      return Files.isRegularFile(at) && text(parent, "groupId").equals(GROUP) ? at : null;
    }
    return null;
  }

  private static Element parse(Path pom) {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(pom.toFile())
          .getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IllegalArgumentException(pom + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Element> children(Element element, String name) {
    List<Element> found = new ArrayList<>();
    for (Node at = element.getFirstChild(); at != null; at = at.getNextSibling()) {
      if (at instanceof Element child && child.getTagName().equals(name)) {
        found.add(child);
      }
    }
    return found;
  }

  private static String text(Element element, String name) {
    List<Element> found = children(element, name);
    return found.isEmpty() ? "" : found.get(0).getTextContent().strip();
  }

  private static int lines(Path file) {
    try (var lines = Files.lines(file)) {
      return (int) lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
