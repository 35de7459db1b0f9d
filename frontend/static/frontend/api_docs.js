// Draws the OpenAPI document with Swagger UI, in the colours of the system.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

SwaggerUIBundle({
  dom_id: "#docs",
  url: document.getElementById("docs").dataset.document,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null, // its default is another server
});
