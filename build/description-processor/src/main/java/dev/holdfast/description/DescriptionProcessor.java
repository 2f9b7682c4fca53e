package dev.holdfast.description;

import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import javax.tools.StandardLocation;

/**
 * Writes {@code descriptions.properties} into each package with records or enums: what their
 * documentation comments say of the type ({@code Type}), of each component ({@code Type.name}) and
 * of each constant ({@code Type.NAME}).
 */
@SupportedAnnotationTypes("*")
public final class DescriptionProcessor extends AbstractProcessor {
  private final Map<String, Map<String, String>> byPackage = new TreeMap<>();

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    round.getRootElements().forEach(this::visit);
    if (round.processingOver()) {
      byPackage.forEach(this::write);
    }
    return false;
  }

  private void visit(Element element) {
    if (element.getKind() == ElementKind.RECORD || element.getKind() == ElementKind.ENUM) {
      describe((TypeElement) element);
    }
    if (element.getKind().isClass() || element.getKind().isInterface()) {
      element.getEnclosedElements().forEach(this::visit);
    }
  }

  private void describe(TypeElement type) {
    String comment = processingEnv.getElementUtils().getDocComment(type);
    if (comment == null) {
      return;
    }
    String packageName =
        processingEnv.getElementUtils().getPackageOf(type).getQualifiedName().toString();
    Map<String, String> texts = byPackage.computeIfAbsent(packageName, k -> new TreeMap<>());
    String name = type.getQualifiedName().toString().substring(packageName.length() + 1);
    DocComment doc = DocComment.parse(comment);
    texts.put(name, doc.text());
    doc.parameters().forEach((parameter, text) -> texts.put(name + "." + parameter, text));
    for (Element member : type.getEnclosedElements()) {
      String said = processingEnv.getElementUtils().getDocComment(member);
      if (member.getKind() == ElementKind.ENUM_CONSTANT && said != null) {
        texts.put(name + "." + member.getSimpleName(), DocComment.parse(said).text());
      }
    }
  }

  private void write(String packageName, Map<String, String> texts) {
    try (Writer out =
        processingEnv
            .getFiler()
            .createResource(StandardLocation.CLASS_OUTPUT, packageName, "descriptions.properties")
            .openWriter()) {
      for (Map.Entry<String, String> text : texts.entrySet()) {
        out.write(text.getKey() + "=" + text.getValue().replace("\\", "\\\\") + "\n");
      }
    } catch (IOException e) {
      processingEnv
          .getMessager()
          .printMessage(
              Diagnostic.Kind.ERROR,
              "the descriptions of " + packageName + " cannot be written: " + e.getMessage());
    }
  }
}
